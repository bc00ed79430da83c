"""An MCP server for the plans of a folder: tools, prompts and resources for agents. All of it needs the extra `mcp`."""
