import { Readable } from 'node:stream'
import { runCli } from '@parley/cli'

type Given = { dir: string; stdin?: string | Buffer; isTTY?: boolean; env?: NodeJS.ProcessEnv }

export async function runParley(args: string[], { dir, stdin = '', isTTY = false, env = {} }: Given) {
  let out = ''
  let err = ''
  const code = await runCli(args, {
    input: Object.assign(Readable.from([stdin]), { isTTY }),
    out: (text) => (out += text),
    pipe: (piece) => (out += String(piece)),
    err: (text) => (err += text),
    env: { PARLEY_DATA_DIR: dir, ...env },
  })
  return { code, out, err }
}
