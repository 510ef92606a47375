import {
  type DescMessage,
  type DescMethodUnary,
  create,
  fromJson,
  type JsonValue,
  type MessageInitShape,
  type MessageShape,
  toJson,
} from '@bufbuild/protobuf'

export type Answer = { status: number; headers: Headers; body: unknown }

export class CallFailed extends Error {
  readonly answer: Answer

  constructor(what: string, answer: Answer) {
    super(`${what} was answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    this.answer = answer
  }
}

export const pathOf = (method: DescMethodUnary, prefix = '/api/connect'): string =>
  `${prefix}/${method.parent.typeName}/${method.name}`

/** A string is sent unchanged. */
export async function postJson(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  })
  return readAnswer(response)
}

/** A body that is not JSON remains a string. */
export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: parseJsonOrText(text) }
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The code, for example `not_found`. */
export function codeOf({ body }: Answer): unknown {
  return typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined
}

export async function callJson<I extends DescMessage, O extends DescMessage>(
  base: string,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  headers: Record<string, string> = {},
): Promise<MessageShape<O>> {
  const answer = await attemptJson(base, method, request, headers)
  if (answer.status !== 200) throw new CallFailed(`${method.parent.typeName}/${method.name}`, answer)
  return fromJson(method.output, answer.body as JsonValue)
}

export function attemptJson<I extends DescMessage>(
  base: string,
  method: DescMethodUnary<I>,
  request: MessageInitShape<I>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return postJson(base + pathOf(method), toJson(method.input, create(method.input, request)), headers)
}
