"""The browser application. The only package that knows Streamlit."""
