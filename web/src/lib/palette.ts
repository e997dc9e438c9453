// Colors as the API writes them: "#rrggbb" or "#rrggbbaa", lower case.

const COLOR = /#?\b([0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3})\b/gi;

/** Every color in a text, such as a palette file or a list pasted from a paint program, in order and once. */
export function parseColors(text: string): string[] {
  const found = [...text.matchAll(COLOR)].map(([, digits = ""]) => {
    const full = digits.length === 3 ? [...digits].map((digit) => digit + digit).join("") : digits;
    return `#${full.toLowerCase()}`;
  });
  return [...new Set(found)];
}

/** Change a color's red, green and blue, which is all that a color input knows; its alpha stays. */
export function recolor(color: string, rgb: string): string {
  return rgb.slice(0, 7).toLowerCase() + color.slice(7);
}
