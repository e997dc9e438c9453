"""What clients see: types, inputs, enums, payloads and scalars. Declarations only, no I/O."""
