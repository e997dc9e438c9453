"""How many tasks ended how, how long they waited and how long they took: kept as they end, never counted anew."""
