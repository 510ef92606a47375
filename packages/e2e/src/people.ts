import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { AdminUserService } from '@parley/contracts/admin'
import { repositoryRoot } from '@parley/local'
import { eventually } from '@parley/testkit'
import { fleet, ownerCredentials } from './fleet.ts'
import { type Answer, attemptJson, callJson, CallFailed, postJson } from './http.ts'

/** Calls go to the first gateway unless another base is given. */
export class Person {
  readonly userId: string
  readonly login: string
  readonly password: string
  readonly token: string

  constructor(signedIn: { userId: string; login: string; password: string; token: string }) {
    this.userId = signedIn.userId
    this.login = signedIn.login
    this.password = signedIn.password
    this.token = signedIn.token
  }

  get authorization(): { authorization: string } {
    return { authorization: `Bearer ${this.token}` }
  }

  call<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    { base = fleet().gateways[0], headers = {} }: { base?: string; headers?: Record<string, string> } = {},
  ): Promise<MessageShape<O>> {
    return callJson(base, method, request, { ...this.authorization, ...headers })
  }

  attempt<I extends DescMessage>(
    method: DescMethodUnary<I>,
    request: MessageInitShape<I>,
    { base = fleet().gateways[0], headers = {} }: { base?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    return attemptJson(base, method, request, { ...this.authorization, ...headers })
  }
}

/** The login begins with `name`. */
export async function newPerson(name: string, options: { roles?: string[]; base?: string } = {}): Promise<Person> {
  const login = `${name}-${randomBytes(5).toString('hex')}`
  const password = randomBytes(12).toString('hex')
  const request = { login, password, roleNames: options.roles ?? [] }
  // The fleet may still be recovering from an earlier test.
  await eventually(() =>
    asOwner((owner) => owner.call(AdminUserService.method.createUser, request)).catch(ignoreLoginTaken),
  )
  return await eventually(() => signIn({ login, password }, options.base))
}

function ignoreLoginTaken(error: unknown): void {
  if (!(error instanceof CallFailed) || error.answer.status !== 409) throw error
}

let signedInOwner: Person | undefined

async function asOwner(work: (owner: Person) => Promise<unknown>): Promise<void> {
  try {
    if (signedInOwner) return void (await work(signedInOwner))
  } catch (error) {
    if (!(error instanceof CallFailed) || error.answer.status !== 401) throw error
  }
  signedInOwner = await signInOwner()
  await work(signedInOwner)
}

/** Retries while the fleet recovers from an earlier test. */
export const signInOwner = (): Promise<Person> => eventually(() => signIn(ownerCredentials))

export async function signIn(
  { login, password }: { login: string; password: string },
  base: string = fleet().gateways[0],
): Promise<Person> {
  const answer = await postJson(`${base}/auth/login`, { login, password })
  if (answer.status !== 200) throw new CallFailed('sign-in', answer)
  const { token, user } = answer.body as { token: string; user: { id: string } }
  return new Person({ userId: user.id, login, password, token })
}

/** Throws when the operator's command fails. */
export async function operate(args: string[], input = ''): Promise<Record<string, unknown>> {
  const command = join(repositoryRoot(), 'packages/cli/dist/main.js')
  const child = spawn(process.execPath, [command, ...args, '--json'], {
    env: { ...process.env, PARLEY_DATA_DIR: fleet().dataDir },
    stdio: 'pipe',
  })
  child.stdin.end(input)
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exited])
  if (code !== 0) throw new Error(`parley ${args.join(' ')} ended with ${code}: ${err}`)
  return JSON.parse(out) as Record<string, unknown>
}
