"""Plans that run: what the engine asks language models and programs, and how it reads their answers."""
