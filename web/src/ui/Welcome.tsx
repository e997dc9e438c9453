import { Mark } from "./icons";

export function Welcome({ onCreate }: { onCreate: () => void }) {
  return (
    <main className="welcome">
      <Mark size={56} />
      <h1>Begin with a project</h1>
      <p>A project holds the style that all of its assets share: how they are drawn, their colors, their mood. You can change it any time.</p>
      <button type="button" className="primary big" onClick={onCreate}>
        New project
      </button>
    </main>
  );
}
