"""The judge: query, chunks and grades in one component that works without the server's help."""
