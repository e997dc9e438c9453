export const WELCOME_HEADERS = `{
  "Authorization": ""
}`;

/** What the first tab shows: the way from nothing to a finished asset, each step ready to run. */
export const WELCOME_QUERY = `# Wonder turns prompts into game-ready assets.
# Put the cursor into a step, then press Ctrl-Enter.
#
# 1. SignUp makes an account (LogIn when you have one).
#    Copy the access token into the Headers tab below:
#    { "Authorization": "Bearer <accessToken>" }
# 2. CreateProject makes a project with a style,
#    which all of its assets share.
# 3. Generate answers at once with a task. Put the
#    project's id into the Variables tab:
#    { "project": "<id>" }
# 4. Progress follows the task until it has ended:
#    { "task": "<id>" }. The result shows the last event,
#    the Events panel at the left keeps them all.
# 5. Result lists the files, and where to fetch them.

mutation SignUp {
  signup(input: {
    email: "you@example.com"
    password: "at least 8 characters"
  }) {
    accessToken
    refreshToken
    errors { code message path }
  }
}

mutation LogIn {
  login(input: {
    email: "you@example.com"
    password: "at least 8 characters"
  }) {
    accessToken
    refreshToken
    errors { code message }
  }
}

mutation CreateProject {
  createProject(input: {
    name: "Moss and Stone"
    style: {
      artStyle: "16-bit pixel art"
      perspective: "side view"
      mood: "cheerful"
      palette: ["#1b2b34", "#2f5d50", "#4f9d5d", "#f4f1bb"]
    }
  }) {
    project { id name }
    errors { code message path }
  }
}

mutation Generate($project: ID!) {
  generate(input: {
    projectId: $project
    assetType: SPRITE
    prompt: "a green slime with a leaf on its head"
    params: { width: 64, height: 64, transparent: true }
  }) {
    task { id status queuePosition }
    errors { code message path retryAfterSeconds }
  }
}

subscription Progress($task: ID!) {
  taskProgress(taskId: $task) {
    sequence
    status
    stage
    progress
    message
  }
}

query Result($task: ID!) {
  task(id: $task) {
    status
    degraded
    assets { name role mediaType width height url }
    qualityChecks { round name score threshold passed reason }
    error { code message }
  }
}
`;
