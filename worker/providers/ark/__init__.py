"""Volcengine Ark, and BytePlus ModelArk, which has the same contract: Seedream paints, Seedance films."""
