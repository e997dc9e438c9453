// Every document that the dashboard sends, with the types of its answer and variables.

import type {
  AuthPayload,
  Connection,
  Project,
  Provider,
  QueueStats,
  Task,
  TaskDetail,
  TaskEvent,
  User,
  UserError,
} from "./types";

/** A document that knows what it answers and takes. */
export interface Operation<Data, Variables> {
  readonly document: string;
  /** Never set; ties the types to the document. */
  readonly types?: (variables: Variables) => Data;
}

type None = Record<string, never>;
interface Failed {
  errors: UserError[];
}

function operation<Data, Variables = None>(document: string): Operation<Data, Variables> {
  return { document };
}

const ERRORS = "errors { code message path retryAfterSeconds }";
const SESSION = `user { id email displayName role } accessToken refreshToken expiresAt ${ERRORS}`;
const PROJECT = "id name description updatedAt style { artStyle palette perspective mood negativePrompt }";
const PARAMS = `params { width height seed count negativePrompt transparent format paletteSize atlasFormats padding extrude
  trim powerOfTwo maxSheetSize tileSize tileCount seamless durationSeconds fps outline outlineColor outlineCorners dither embedMetadata
  animations { name frames fps loop pingPong } }`;
const ASSET = "id name role mediaType width height sizeBytes url thumbnailUrl";
const TASK_FACTS = `id assetType prompt priority queuePosition degraded provider error { code message retryable } status stage
  progress attempt qualityRetries createdAt startedAt finishedAt ${PARAMS}`;
const TASK = `${TASK_FACTS} assets { ${ASSET} }`;
const EVENT = "sequence status stage progress message attempt qualityRetries at";

export const SIGN_UP = operation<{ signup: AuthPayload }, { input: { email: string; password: string; displayName?: string } }>(
  `mutation SignUp($input: SignupInput!) { signup(input: $input) { ${SESSION} } }`,
);
export const LOG_IN = operation<{ login: AuthPayload }, { input: { email: string; password: string } }>(
  `mutation LogIn($input: LoginInput!) { login(input: $input) { ${SESSION} } }`,
);
export const REFRESH_SESSION = operation<{ refreshSession: AuthPayload }, { token: string }>(
  `mutation RefreshSession($token: String!) { refreshSession(refreshToken: $token) { ${SESSION} } }`,
);
export const LOG_OUT = operation<{ logout: Failed }>(`mutation LogOut { logout { ${ERRORS} } }`);

export const ME = operation<{ me: User | null }>(
  "query Me { me { id email displayName role limits { activeTasks maxActiveTasks } } }",
);
export const PROJECTS = operation<{ projects: Connection<Project> }, { after: string | null }>(
  `query Projects($after: String) { projects(first: 100, after: $after) {
    totalCount pageInfo { hasNextPage endCursor } edges { node { ${PROJECT} } } } }`,
);
export const PROVIDERS = operation<{ providers: Provider[] }>("query Providers { providers { name model assetTypes available } }");

export interface ProjectFields {
  name: string;
  description: string;
  style: Project["style"];
}
export interface ProjectChange extends Failed {
  project: Project | null;
}
export const CREATE_PROJECT = operation<{ createProject: ProjectChange }, { input: ProjectFields }>(
  `mutation CreateProject($input: CreateProjectInput!) { createProject(input: $input) { project { ${PROJECT} } ${ERRORS} } }`,
);
export const UPDATE_PROJECT = operation<{ updateProject: ProjectChange }, { input: ProjectFields & { id: string } }>(
  `mutation UpdateProject($input: UpdateProjectInput!) { updateProject(input: $input) { project { ${PROJECT} } ${ERRORS} } }`,
);
export const DELETE_PROJECT = operation<{ deleteProject: Failed }, { id: string }>(
  `mutation DeleteProject($id: ID!) { deleteProject(id: $id) { ${ERRORS} } }`,
);

export interface TaskPage {
  projectId: string;
  first: number;
  after: string | null;
  filter: { status?: string[]; assetType?: string[]; search?: string } | null;
}
export const TASKS = operation<{ project: { tasks: Connection<Task> } | null }, TaskPage>(
  `query Tasks($projectId: ID!, $first: Int!, $after: String, $filter: TaskFilter) { project(id: $projectId) {
    tasks(first: $first, after: $after, filter: $filter, orderBy: CREATED_DESC) {
      totalCount pageInfo { hasNextPage endCursor } edges { node { ${TASK} } } } } }`,
);
export const TASK_CARD = operation<{ task: Task | null }, { id: string }>(
  `query TaskCard($id: ID!) { task(id: $id) { ${TASK} } }`,
);
export const TASK_DETAIL = operation<{ task: TaskDetail | null }, { id: string }>(
  `query TaskDetail($id: ID!) { task(id: $id) { kind externalId ${TASK_FACTS}
    qualityChecks { round name score threshold passed reason }
    events(first: 100) { ${EVENT} }
    assets { ${ASSET} sha256 metadata
      provenance { provider model seed prompt negativePrompt attempt round requestId durationSeconds } } } }`,
);

export interface TaskChange extends Failed {
  task: Task | null;
}
export const GENERATE = operation<{ generate: TaskChange & { deduplicated: boolean } }, { input: object }>(
  `mutation Generate($input: GenerateInput!) { generate(input: $input) { deduplicated task { ${TASK} } ${ERRORS} } }`,
);
export const UPLOAD_IMAGE = operation<{ uploadImage: Failed & { image: { id: string } | null } }, { projectId: string; file: File }>(
  `mutation UploadImage($projectId: ID!, $file: Upload!) { uploadImage(projectId: $projectId, file: $file) { image { id } ${ERRORS} } }`,
);
export const CANCEL_TASK = operation<{ cancelTask: TaskChange }, { id: string }>(
  `mutation CancelTask($id: ID!) { cancelTask(id: $id) { task { ${TASK} } ${ERRORS} } }`,
);
export const RETRY_TASK = operation<{ retryTask: TaskChange }, { id: string }>(
  `mutation RetryTask($id: ID!) { retryTask(id: $id) { task { ${TASK} } ${ERRORS} } }`,
);
export const QUEUE_STATS = operation<{ queueStats: QueueStats }>(
  `query QueueStats { queueStats { pending running capacity workers busyWorkers successRate averageSeconds averageWaitSeconds
    windowSeconds paused } }`,
);
export const TASK_PROGRESS = operation<{ taskProgress: TaskEvent }, { taskId: string; after: number | null }>(
  `subscription TaskProgress($taskId: ID!, $after: Int) { taskProgress(taskId: $taskId, after: $after) { taskId ${EVENT} task { preview } } }`,
);
