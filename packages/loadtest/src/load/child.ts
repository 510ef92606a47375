import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Starts one of this package's other programs; resolves with its first message. */
export async function startProgram(
  name: string,
  args: string[],
): Promise<{ child: ChildProcess; ready: unknown } & Disposable> {
  const child = fork(fileURLToPath(new URL(`./floors/${name}.js`, import.meta.url)), args)
  const ready = await new Promise<unknown>((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)))
  })
  return { child, ready, [Symbol.dispose]: () => void child.kill() }
}
