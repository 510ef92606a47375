import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import {
  execute,
  GraphQLError,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type ExecutionResult,
} from 'graphql'
import { failureOf } from '../failure.ts'
import { replyJson } from '../reply.ts'
import type { DiscoveryContext } from './context.ts'
import { readGraphqlRequest, type GraphqlRequest } from './graphql-request.ts'
import { queryLimits } from './query-limits.ts'
import { schema, serverOf } from './schema.ts'

const maxTokens = 2_000
const rules = [...specifiedRules, queryLimits({ depth: 16, fields: 500 })]
const newMediaType = 'application/graphql-response+json'

export async function serveGraphql(
  context: DiscoveryContext,
  request: IncomingMessage,
  response: ServerResponse,
  cors: OutgoingHttpHeaders,
): Promise<void> {
  if (request.method === 'OPTIONS') return void response.writeHead(204, { ...cors, allow: 'GET, POST, OPTIONS' }).end()
  try {
    context.admit(request)
    const { isExecuted, result } = await runQuery(context, await readGraphqlRequest(request))
    const acceptsNewType = (request.headers.accept ?? '').includes(newMediaType)
    const type = acceptsNewType ? newMediaType : 'application/json'
    // Older clients treat any status but 200 as a transport failure.
    const status = isExecuted || !acceptsNewType ? 200 : 400
    await replyJson(request, response, status, result, { ...cors, 'content-type': `${type}; charset=utf-8` })
  } catch (thrown) {
    request.resume()
    const { status, text, headers } = failureOf(thrown, context.onUnexpected)
    await replyJson(request, response, status, { errors: [{ message: text }] }, { ...cors, ...headers })
  }
}

async function runQuery(
  context: DiscoveryContext,
  { query, operationName, variables }: GraphqlRequest,
): Promise<{ isExecuted: boolean; result: ExecutionResult }> {
  const document = parseQuery(query)
  if (document instanceof GraphQLError) return { isExecuted: false, result: { errors: [document] } }
  const errors = validate(schema, document, rules, { maxErrors: 5 })
  if (errors.length > 0) return { isExecuted: false, result: { errors } }
  let server: Promise<ReturnType<typeof serverOf>> | undefined
  const rootValue = { server: () => (server ??= context.describe().then(serverOf)) }
  const result = await execute({ schema, document, rootValue, operationName, variableValues: variables })
  for (const { originalError } of result.errors ?? []) if (originalError) throw originalError
  return { isExecuted: 'data' in result, result }
}

function parseQuery(query: string): DocumentNode | GraphQLError {
  try {
    return parse(query, { maxTokens })
  } catch (error) {
    if (error instanceof GraphQLError) return error
    throw error
  }
}
