import type { IncomingMessage } from 'node:http'
import { Code, ConnectError } from '@connectrpc/connect'
import { badRequest } from '../../errors.ts'
import { readBody } from '../body.ts'
import { unaryFormat } from '../connect-unary.ts'
import { Refusal } from '../failure.ts'
import { textOf } from '../text.ts'

const maxAuthBodyBytes = 64 * 1024

/** Throws a 413 above 64 KiB. */
export async function readAuthBody(request: IncomingMessage): Promise<Buffer> {
  try {
    return await readBody(request, maxAuthBodyBytes)
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.ResourceExhausted) throw new Refusal(413, error.rawMessage)
    throw error
  }
}

/**
 * Throws a 415 for other content types: a form on any site could send them, to sign people in to somebody else's
 * account.
 */
export async function readJsonObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  if (unaryFormat(request.headers['content-type']) !== 'json') {
    request.resume()
    throw new Refusal(415, 'unsupported media type: send application/json')
  }
  const body = await readAuthBody(request)
  try {
    const value: unknown = JSON.parse(textOf(body))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    // Handled like any other value that is not an object.
  }
  throw badRequest('the body must be a JSON object in UTF-8')
}

/**
 * Returns these fields. Throws `invalid_argument` with the names of those that are not a text of 1 to `maxFieldLength`
 * characters.
 */
export function textFields<Name extends string>(
  object: Record<string, unknown>,
  ...names: Name[]
): Record<Name, string> {
  const missing = names.filter((name) => !textField(object, name))
  if (missing.length > 0) throw badRequest(`send ${missing.join(', ')}`)
  return Object.fromEntries(names.map((name) => [name, textField(object, name)])) as Record<Name, string>
}

export function textField(object: Record<string, unknown>, name: string): string | undefined {
  const value = object[name]
  return typeof value === 'string' && value.length <= maxFieldLength ? value : undefined
}

const maxFieldLength = 1024
