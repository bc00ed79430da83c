"""The planner's protocol: plan-next messages, the context that they are about, and the runtime that takes them."""
