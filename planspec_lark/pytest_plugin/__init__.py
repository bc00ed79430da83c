"""What tests of prompts need: assertions on plans, and snapshots of them; `plugin` is what pytest loads."""
