"""Adapters to language models: endpoints that speak the protocol of OpenAI, and any program."""
