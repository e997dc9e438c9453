import type { AnimationDraft } from "../lib/draft";
import { Icon } from "./icons";

const MAX_ANIMATIONS = 16;

interface AnimationEditorProps {
  animations: readonly AnimationDraft[];
  onChange: (animations: AnimationDraft[]) => void;
  error: string | undefined;
}

export function AnimationEditor({ animations, onChange, error }: AnimationEditorProps) {
  const set = (index: number, change: Partial<AnimationDraft>) => {
    onChange(animations.map((animation, at) => (at === index ? { ...animation, ...change } : animation)));
  };
  const add = () => onChange([...animations, { name: "", frames: "4", fps: "8", loop: true, pingPong: false }]);
  return (
    <fieldset className="animations">
      <legend>Animations</legend>
      <div className="animation heads" aria-hidden="true">
        <span>Name</span>
        <span>Frames</span>
        <span>FPS</span>
      </div>
      {animations.map((animation, index) => {
        const called = animation.name || `animation ${index + 1}`;
        return (
          // Rows have no identity but their place: names may repeat while they are typed.
          <div key={index} className="animation">
            <input dir="auto" aria-label={`Name of ${called}`} required maxLength={64} value={animation.name} onChange={(event) => set(index, { name: event.target.value })} />
            <input
              type="number"
              aria-label={`Frames of ${called}`}
              required
              min={1}
              max={64}
              value={animation.frames}
              onChange={(event) => set(index, { frames: event.target.value })}
            />
            <input
              type="number"
              aria-label={`Frames per second of ${called}`}
              min={1}
              max={60}
              value={animation.fps}
              onChange={(event) => set(index, { fps: event.target.value })}
            />
            <Flag label="Loop" sign="↻" title={`Loop ${called}`} on={animation.loop} onFlip={(loop) => set(index, { loop })} />
            <Flag label="Ping-pong" sign="⇄" title={`Ping-pong ${called}`} on={animation.pingPong} onFlip={(pingPong) => set(index, { pingPong })} />
            <button type="button" className="quiet square" aria-label={`Remove ${called}`} onClick={() => onChange(animations.toSpliced(index, 1))}>
              <Icon name="close" />
            </button>
          </div>
        );
      })}
      {animations.length === 0 && <p className="field-hint">None: the server draws idle, walk and attack.</p>}
      {animations.length < MAX_ANIMATIONS && (
        <button type="button" className="quiet" onClick={add}>
          <Icon name="plus" /> Add an animation
        </button>
      )}
      {error && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function Flag(props: { label: string; sign: string; title: string; on: boolean; onFlip: (on: boolean) => void }) {
  return (
    <button
      type="button"
      className="flag"
      aria-pressed={props.on}
      aria-label={props.title}
      title={props.label}
      onClick={() => props.onFlip(!props.on)}
    >
      {props.sign}
    </button>
  );
}
