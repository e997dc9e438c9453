// Compiled, never run: the generated types fit what a dashboard does with them.

import type { ResultOf, VariablesOf } from "@graphql-typed-document-node/core";
import { FollowDocument, GenerateDocument, ProjectsDocument } from "./generated/graphql";

const input: VariablesOf<typeof GenerateDocument> = {
  input: { projectId: "prj_1", prompt: "一只史莱姆", assetType: "SPRITESHEET", params: { animations: [{ name: "walk", frames: 4 }] } },
};

export function describe(projects: ResultOf<typeof ProjectsDocument>, step: ResultOf<typeof FollowDocument>): string {
  const names: string[] = projects.projects.edges.map((edge) => edge.node.name);
  const progress: number = step.taskProgress.progress;
  const position: number | null | undefined = step.taskProgress.task.queuePosition;
  // @ts-expect-error a task's status is a closed set
  const never: boolean = step.taskProgress.status === "DONE";
  return `${names.join()} ${progress} ${position} ${never} ${input.input.prompt}`;
}
