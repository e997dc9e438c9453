import { useState } from "react";

export type Theme = "system" | "dark" | "light";
const STORAGE_KEY = "wonder.theme";
const NEXT: Record<Theme, Theme> = { system: "dark", dark: "light", light: "system" };

function chosen(): Theme {
  const theme = document.documentElement.dataset.theme;
  return theme === "dark" || theme === "light" ? theme : "system";
}

function apply(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (theme === "system") localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, theme);
  } catch {
    // Storage is switched off: the choice holds until the page goes.
  }
}

/** The theme, and how to go to the next one: the system's, dark, light. */
export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState(chosen);
  const next = () => {
    apply(NEXT[theme]);
    setTheme(NEXT[theme]);
  };
  return [theme, next];
}
