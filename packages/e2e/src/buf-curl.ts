import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { text } from 'node:stream/consumers'
import { repositoryRoot } from '@parley/local'

/** The exit code of a failed call is 8 times its Connect code. */
export type BufAnswer = { exit: number | null; answer: unknown; error: unknown }

/** The binary itself: to start it through its Node.js launcher takes longer than the call. */
function binaryPath(): string {
  const launcher = createRequire(import.meta.url).resolve('@bufbuild/buf/package.json')
  return createRequire(launcher).resolve(`@bufbuild/buf-${process.platform}-${process.arch}/bin/buf`)
}

export async function bufCurl(...args: string[]): Promise<BufAnswer> {
  const child = spawn(binaryPath(), ['curl', ...args], {
    cwd: repositoryRoot(),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 30_000,
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const [out, err, exit] = await Promise.all([text(child.stdout), text(child.stderr), exited])
  return { exit, answer: jsonOrText(out), error: jsonOrText(err) }
}

function jsonOrText(output: string): unknown {
  try {
    return JSON.parse(output)
  } catch {
    return output
  }
}
