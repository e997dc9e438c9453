import { type FormEvent, useState } from "react";
import { request } from "../api/client";
import { fieldError, generalErrors, messageOf } from "../api/errors";
import { CREATE_PROJECT, UPDATE_PROJECT, type ProjectChange, type ProjectFields } from "../api/operations";
import type { Project, ProjectStyle, UserError } from "../api/types";
import { Dialog } from "./Dialog";
import { Field, Problems, TextField } from "./fields";
import { PaletteEditor } from "./PaletteEditor";

const FIELDS = ["name", "description", "artStyle", "perspective", "mood", "negativePrompt", "palette"];
const ART_STYLES = ["16-bit pixel art", "8-bit pixel art", "1-bit pixel art", "flat vector", "hand painted", "low poly"];
const PERSPECTIVES = ["side view", "top-down", "isometric", "three-quarter", "front view"];
const EMPTY_STYLE: ProjectStyle = { artStyle: "16-bit pixel art", palette: [], perspective: "side view", mood: "", negativePrompt: "" };

interface ProjectDialogProps {
  /** Null makes a new one. */
  project: Project | null;
  onSaved: (project: Project) => void;
  onClose: () => void;
}

async function save(project: Project | null, fields: ProjectFields): Promise<ProjectChange> {
  if (!project) return (await request(CREATE_PROJECT, { input: fields })).createProject;
  return (await request(UPDATE_PROJECT, { input: { id: project.id, ...fields } })).updateProject;
}

export function ProjectDialog({ project, onSaved, onClose }: ProjectDialogProps) {
  const [name, setName] = useState(project?.name ?? "");
  const [description, setDescription] = useState(project?.description ?? "");
  const [style, setStyle] = useState<ProjectStyle>(project?.style ?? EMPTY_STYLE);
  const [errors, setErrors] = useState<UserError[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setErrors([]);
    setFailure(null);
    try {
      const change = await save(project, { name, description, style });
      if (change.project) onSaved(change.project);
      else setErrors(change.errors);
    } catch (error) {
      setFailure(messageOf(error));
    } finally {
      setBusy(false);
    }
  }

  const set = (change: Partial<ProjectStyle>) => setStyle({ ...style, ...change });
  const error = (field: string) => fieldError(errors, field);
  return (
    <Dialog title={project ? "Edit project" : "New project"} onClose={onClose}>
      <form className="stack" onSubmit={(event) => void submit(event)}>
        <TextField label="Name" value={name} onChange={setName} error={error("name")} required autoFocus={!project} />
        <TextField label="Description (optional)" value={description} onChange={setDescription} error={error("description")} />
        <div className="columns">
          <Suggested label="Art style" list={ART_STYLES} value={style.artStyle} onChange={(artStyle) => set({ artStyle })} error={error("artStyle")} />
          <Suggested
            label="Perspective"
            list={PERSPECTIVES}
            value={style.perspective}
            onChange={(perspective) => set({ perspective })}
            error={error("perspective")}
          />
        </div>
        <TextField label="Mood" placeholder="cheerful, dusty, eerie …" value={style.mood} onChange={(mood) => set({ mood })} error={error("mood")} />
        <PaletteEditor palette={style.palette} onChange={(palette) => set({ palette })} error={error("palette")} />
        <Field label="Never show" hint="Kept out of every picture of this project" error={error("negativePrompt")}>
          {(ids) => (
            <textarea {...ids} dir="auto" rows={2} value={style.negativePrompt} onChange={(event) => set({ negativePrompt: event.target.value })} />
          )}
        </Field>
        <Problems messages={failure ? [failure] : generalErrors(errors, FIELDS)} />
        <footer className="dialog-foot">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={busy}>
            {project ? "Save" : "Create project"}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

interface SuggestedProps {
  label: string;
  list: readonly string[];
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
}

/** Free text with offers. */
function Suggested({ label, list, value, onChange, error }: SuggestedProps) {
  return (
    <Field label={label} error={error}>
      {(ids) => (
        <>
          <input {...ids} dir="auto" list={`${ids.id}-list`} value={value} onChange={(event) => onChange(event.target.value)} />
          <datalist id={`${ids.id}-list`}>
            {list.map((item) => (
              <option key={item} value={item} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
