"""What editors need beside the server."""
