import {
  create,
  fromJson,
  toJson,
  type DescMethod,
  type DescMethodUnary,
  type JsonObject,
  type JsonValue,
} from '@bufbuild/protobuf'
import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect'
import { policyFrom } from '@parley/permissions'
import { defineConfig } from '@parley/config'
import { GetPolicyResponseSchema, OperatorService } from '@parley/contracts/internal'
import { explainDatabaseError, openDatabase } from '@parley/postgres'
import { readConfig } from '../config.ts'
import type { OperatorContext } from '../context.ts'
import { createPasswords } from '../engines/passwords/index.ts'
import { operator } from '../rpc/operator/index.ts'

/** `policy` and `blocked` come from admin's database, because the service `accounts` reads only its own tables. */
type OperatorRequest = { method: string; request: JsonValue; policy: JsonValue; blocked: boolean }

const { databaseUrl, ownerEmails, moreOwnerEmails, maxUsers } = readConfig.fields
const isUnary = (method: DescMethod): method is DescMethodUnary => method.methodKind === 'unary'
const readSettings = defineConfig({ databaseUrl, ownerEmails, moreOwnerEmails, maxUsers })

/** `input`: an OperatorRequest as JSON. The events wait in the outbox until a process of accounts publishes them. */
export async function answerDirectly(
  input: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ answer: JsonObject }> {
  const { method: name, request, policy, blocked } = JSON.parse(input) as OperatorRequest
  const config = readSettings({ env })
  await using database = await openDatabase({ url: config.databaseUrl, pool: 2, name: 'accounts operator' })
  const current = policyFrom(fromJson(GetPolicyResponseSchema, policy))
  const ctx: OperatorContext = {
    config,
    db: database.db,
    relay: { wake: () => undefined, waitUntilStored: () => Promise.resolve() },
    policy: { current: () => current, loadFresh: () => Promise.resolve(current) },
    passwords: await createPasswords(1),
    admin: { checkLogin: () => Promise.resolve({ $typeName: 'svc.internal.v1.CheckLoginResponse', blocked }) },
    now: () => new Date(),
  }
  const method = OperatorService.methods.filter(isUnary).find((one) => one.name === name)
  if (!method) throw new ConnectError(`OperatorService has no method "${name}"`, Code.Unimplemented)
  const throwExplained = (error: unknown): never => {
    throw explainDatabaseError(error, 'accounts') ?? error
  }
  await database.ping().catch(throwExplained)
  const transport = createRouterTransport(({ service }) => service(OperatorService, operator(ctx)), {
    router: { interceptors: [(next) => (call) => next(call).catch(throwExplained)] },
  })
  const message = create(method.input, fromJson(method.input, request))
  const response = await transport.unary(method, undefined, undefined, undefined, message)
  return { answer: toJson(method.output, response.message) as JsonObject }
}
