import type { TaskStage, TaskState } from "../api/types";

/** The part of a task's progress that each stage has, in percent. */
const STAGES: readonly { stage: TaskStage; label: string; from: number; to: number }[] = [
  { stage: "PROMPT_BUILDER", label: "Prompt", from: 0, to: 20 },
  { stage: "ASSET_GENERATOR", label: "Generate", from: 20, to: 60 },
  { stage: "QUALITY_SUPERVISOR", label: "Check", from: 60, to: 80 },
  { stage: "FORMAT_ADAPTER", label: "Export", from: 80, to: 100 },
];

/** A progress bar in four parts, one for each stage. */
export function StageBar({ state, label }: { state: TaskState; label: string }) {
  const { progress, stage, status } = state;
  return (
    <div
      className="stages"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(progress)}
      aria-valuetext={`${Math.round(progress)} %, ${STAGES.find((item) => item.stage === stage)?.label ?? "waiting"}`}
    >
      {STAGES.map((item) => {
        const part = Math.min(1, Math.max(0, (progress - item.from) / (item.to - item.from)));
        const now = item.stage === stage && status === "RUNNING";
        return (
          <div key={item.stage} className="stage" style={{ flexGrow: item.to - item.from }} data-now={now || undefined}>
            <div className="stage-track">
              <div className="stage-fill" style={{ transform: `scaleX(${part})` }} />
            </div>
            <span>{item.label}</span>
          </div>
        );
      })}
    </div>
  );
}
