import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export async function startProgram(
  name: string,
  args: string[],
): Promise<{ child: ChildProcess; ready: unknown } & Disposable> {
  const child = fork(fileURLToPath(new URL(`./floors/${name}.js`, import.meta.url)), args)
  const ready = await new Promise<unknown>((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`${name} exited with ${code} before it was ready`)))
  })
  return { child, ready, [Symbol.dispose]: () => void child.kill() }
}
