import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Code, ConnectError } from '@connectrpc/connect'
import type { JsonValue } from '@bufbuild/protobuf'
import { unreachable } from './failure.ts'

type Output = { answer?: JsonValue; error?: { code: number; message: string } }

/** Throws a ConnectError if the program refuses the request, and a Failure if it fails or is not built. */
export async function runProgram(
  service: string,
  program: string,
  env: NodeJS.ProcessEnv,
  question: object,
): Promise<JsonValue> {
  // Standard output is reserved for the result.
  const silentEnv = { ...env, PARLEY_GENERAL_LOG_LEVEL: 'silent' }
  const { answer, error } = JSON.parse(await outputOf(service, program, silentEnv, JSON.stringify(question))) as Output
  if (error) throw new ConnectError(error.message, Code[error.code] === undefined ? Code.Unknown : error.code)
  return answer ?? null
}

/** Throws when the program fails, is not built, or does not end within `timeoutMs`. */
export async function outputOf(
  service: string,
  program: string,
  env: NodeJS.ProcessEnv,
  input = '',
  timeoutMs?: number,
): Promise<string> {
  const file = join(servicesFolder(), service, 'dist', `${program}.js`)
  if (!existsSync(file)) throw unreachable(`${file} is not built; run make bootstrap`)
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH, ...env },
    stdio: 'pipe',
    ...(timeoutMs !== undefined && { timeout: timeoutMs, killSignal: 'SIGKILL' }),
  })
  // A program may exit before it has read its input. Only its exit code matters.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exited])
  if (code !== 0) throw unreachable(`${program} of ${service} exited with code ${code}: ${err.trim()}`)
  return out
}

/** The `services` folder of the checkout or image that contains this command. */
function servicesFolder(): string {
  for (let dir = dirname(fileURLToPath(import.meta.url)); ; dir = dirname(dir)) {
    const services = join(dir, 'services')
    if (existsSync(join(services, 'accounts'))) return services
    if (dir === dirname(dir)) throw unreachable('the services are not installed next to this command')
  }
}
