"""The UGI (Universal Game Interface) engine that `isolarium engine` runs."""
