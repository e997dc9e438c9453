"""ComfyUI, with workflows of the operator."""
