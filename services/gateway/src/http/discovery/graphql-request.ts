import type { IncomingMessage } from 'node:http'
import { readBody } from '../body.ts'
import { Refusal } from '../failure.ts'
import { queryOf } from '../redirect.ts'
import { textOf } from '../text.ts'

export type GraphqlRequest = {
  query: string
  operationName: string | undefined
  variables: Record<string, unknown> | undefined
}

const maxBodyBytes = 64 * 1024

export async function readGraphqlRequest(request: IncomingMessage): Promise<GraphqlRequest> {
  if (request.method === 'GET') {
    const parameters = queryOf(request)
    const variables = parameters.get('variables')
    return toGraphqlRequest({
      ...Object.fromEntries(parameters),
      variables: variables === null ? undefined : parseJson(variables, 'variables'),
    })
  }
  if (request.method !== 'POST')
    throw new Refusal(405, 'method not allowed: use GET or POST', { allow: 'GET, POST, OPTIONS' })
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new Refusal(415, 'unsupported media type: send application/json')
  return toGraphqlRequest(parseJson(await readText(request), 'the body'))
}

async function readText(request: IncomingMessage): Promise<string> {
  const body = await readBody(request, maxBodyBytes)
  try {
    return textOf(body)
  } catch {
    throw new Refusal(400, 'the body is not UTF-8')
  }
}

function parseJson(json: string, what: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new Refusal(400, `${what} must be JSON`)
  }
}

function toGraphqlRequest(value: unknown): GraphqlRequest {
  if (!isObject(value)) throw new Refusal(400, 'send one query: {"query": "..."}')
  const { query } = value
  const operationName = value['operationName'] ?? undefined
  const variables = value['variables'] ?? undefined
  if (typeof query !== 'string') throw new Refusal(400, 'query must be a string')
  if (operationName !== undefined && typeof operationName !== 'string')
    throw new Refusal(400, 'operationName must be a string')
  if (variables !== undefined && !isObject(variables)) throw new Refusal(400, 'variables must be an object')
  return { query, operationName, variables }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
