"""`/admin`: what super-admins see and do."""
