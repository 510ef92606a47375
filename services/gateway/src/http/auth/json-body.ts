import type { IncomingMessage } from 'node:http'
import { Code, ConnectError } from '@connectrpc/connect'
import { readBody } from '../body.ts'
import { textOf } from '../text.ts'

const maxBytes = 64 * 1024

const notAnObject = () => new ConnectError('the body must be a JSON object in UTF-8', Code.InvalidArgument)

/** Reads a JSON object of at most 64 KiB. Throws `invalid_argument`, or `resource_exhausted` when it is longer. */
export async function readJsonObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  const body = await readBody(request, maxBytes)
  let value: unknown
  try {
    value = JSON.parse(textOf(body))
  } catch {
    throw notAnObject()
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notAnObject()
  return { ...value }
}

export function stringField(object: Record<string, unknown>, name: string): string | undefined {
  const value = object[name]
  return typeof value === 'string' ? value : undefined
}
