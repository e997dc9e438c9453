import { type FormEvent, type KeyboardEvent, useState } from "react";
import { request } from "../api/client";
import { ApiError, fieldError, generalErrors, messageOf, withWait } from "../api/errors";
import { GENERATE } from "../api/operations";
import type { Provider, Task, UserError } from "../api/types";
import { ASSET_TYPE_NAMES, ASSET_TYPES, type Draft, generateInput, newDraft } from "../lib/draft";
import { ADVANCED_FIELDS, AdvancedFields } from "./ComposerAdvanced";
import { ShapeFields } from "./ComposerFields";
import { Field, Problems } from "./fields";
import { TypeIcon } from "./icons";
import { SourcePicture } from "./SourcePicture";

const MAX_PROMPT = 4000;
/** Fields that show their own error; all others are shown above the button. */
const FIELDS = ["prompt", "width", "height", "seed", "count", "tileSize", "animations", "durationSeconds", "fps", ...ADVANCED_FIELDS];

interface ComposerProps {
  draft: Draft;
  onDraft: (draft: Draft) => void;
  projectId: string;
  providers: readonly Provider[];
  onTask: (task: Task) => void;
}

export function Composer({ draft, onDraft, projectId, providers, onTask }: ComposerProps) {
  const [errors, setErrors] = useState<UserError[]>([]);
  const [notice, setNotice] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const set = (change: Partial<Draft>) => onDraft({ ...draft, ...change });

  async function submit(event?: FormEvent): Promise<void> {
    event?.preventDefault();
    if (busy) return;
    setBusy(true);
    setErrors([]);
    setNotice(null);
    try {
      const { task, deduplicated, errors: failed } = (await request(GENERATE, { input: generateInput(draft, projectId) })).generate;
      setErrors(failed);
      if (task) onTask(task);
      if (deduplicated) setNotice("The same request is under way already: this is its task.");
    } catch (error) {
      setNotice(error instanceof ApiError ? withWait(error.message, error.retryAfterSeconds) : messageOf(error));
    } finally {
      setBusy(false);
    }
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void submit();
  };
  const problems = [...generalErrors(errors, FIELDS), ...(notice ? [notice] : [])];
  return (
    <form className="composer panel" onSubmit={(event) => void submit(event)} aria-label="Generate an asset">
      <TypePicker draft={draft} onDraft={onDraft} />
      <SourcePicture source={draft.source} projectId={projectId} onSource={(source) => set({ source })}>
        <Field label="Prompt" error={fieldError(errors, "prompt")}>
          {(ids) => (
            <textarea
              {...ids}
              name="prompt"
              dir="auto"
              rows={4}
              required
              maxLength={MAX_PROMPT}
              placeholder={ASSET_TYPES[draft.assetType].hint}
              value={draft.prompt}
              onChange={(event) => set({ prompt: event.target.value })}
              onKeyDown={onKeyDown}
            />
          )}
        </Field>
      </SourcePicture>
      <ShapeFields draft={draft} set={set} errors={errors} />
      <AdvancedFields draft={draft} set={set} providers={providers} errors={errors} />
      <Problems messages={problems} />
      <button type="submit" className="primary big" disabled={busy || draft.prompt.trim() === ""}>
        {busy ? "Sending …" : "Generate"}
        <kbd>Ctrl ⏎</kbd>
      </button>
    </form>
  );
}

function TypePicker({ draft, onDraft }: Pick<ComposerProps, "draft" | "onDraft">) {
  return (
    <fieldset className="types">
      <legend className="hidden">Asset type</legend>
      {ASSET_TYPE_NAMES.map((type) => (
        <label key={type} className="type" title={ASSET_TYPES[type].hint}>
          <input type="radio" name="assetType" value={type} checked={type === draft.assetType} onChange={() => onDraft(newDraft(type, draft))} />
          <span>
            <TypeIcon type={type} />
            {ASSET_TYPES[type].label}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
