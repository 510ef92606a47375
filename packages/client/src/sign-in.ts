import { Code, ConnectError } from '@connectrpc/connect'

/** Who signed in. */
export type SignedIn = { userId: string; login: string; token: string }

type Fetch = typeof globalThis.fetch

const codes = new Map<number, Code>([
  [400, Code.InvalidArgument],
  [401, Code.Unauthenticated],
  [403, Code.PermissionDenied],
  [413, Code.ResourceExhausted],
  [429, Code.ResourceExhausted],
  [503, Code.Unavailable],
  [504, Code.DeadlineExceeded],
])

export async function signIn(
  baseUrl: string,
  fetch: Fetch,
  credentials: { login: string; password: string },
): Promise<SignedIn> {
  const response = await fetch(`${baseUrl}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identifier: credentials.login, password: credentials.password }),
  })
  const answer = await answerOf(response)
  const user = fieldsOf(answer.user)
  if (typeof answer.token !== 'string' || typeof user.id !== 'string' || typeof user.login !== 'string') {
    throw new ConnectError('the server answered a sign-in without saying who signed in', Code.Unknown)
  }
  return { userId: user.id, login: user.login, token: answer.token }
}

export async function signOut(baseUrl: string, fetch: Fetch, token: string | undefined): Promise<void> {
  const csrfToken = csrfCookie()
  const response = await fetch(`${baseUrl}/auth/logout`, {
    method: 'POST',
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(csrfToken === undefined ? {} : { 'x-csrf-token': csrfToken }),
    },
  })
  await answerOf(response)
}

/** The value pages of the server's own origin send back to prove that they are; undefined outside of a browser. */
function csrfCookie(): string | undefined {
  const { document }: { document?: { cookie?: string }; fetch: Fetch } = globalThis
  return /(?:^|;\s*)parley_csrf=([^;]+)/.exec(document?.cookie ?? '')?.[1]
}

async function answerOf(response: Response): Promise<Record<string, unknown>> {
  const answer = fieldsOf(await response.json().catch(() => undefined))
  if (response.ok) return answer
  const message = typeof answer.error === 'string' ? answer.error : `the server answered ${response.status}`
  const retryAfter = response.headers.get('retry-after')
  throw new ConnectError(
    message,
    codes.get(response.status) ?? Code.Unknown,
    retryAfter === null ? undefined : { 'retry-after': retryAfter },
  )
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
