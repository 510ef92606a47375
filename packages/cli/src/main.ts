import { once } from 'node:events'

const env = { ...process.env }
// Logs of the bus client are not output of the command. Set this before modules with loggers are loaded.
process.env.PARLEY_GENERAL_LOG_LEVEL = 'silent'
let isStreaming = false
// The reader may stop early, as in `parley config | head`. That is a failure only for streamed output: other results
// are printed after the work is done.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(isStreaming ? 1 : 0)
  process.stderr.write(`parley: standard output cannot be written: ${error.message}\n`)
  process.exit(1)
})
const out = (piece: string | Uint8Array) => process.stdout.write(piece) || once(process.stdout, 'drain')
const { runCli } = await import('./program.ts')
process.exitCode = await runCli(process.argv.slice(2), {
  input: process.stdin,
  out,
  pipe: (piece) => {
    isStreaming = true
    return out(piece)
  },
  err: (text) => process.stderr.write(text),
  env,
})
