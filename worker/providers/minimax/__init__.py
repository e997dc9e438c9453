"""MiniMax films in jobs: Hailuo behind its first interface, H3 behind its second."""
