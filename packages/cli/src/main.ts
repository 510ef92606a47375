import { once } from 'node:events'

const env = { ...process.env }
// What the bus client logs is not the command's output; set before the modules that make loggers are loaded.
process.env.PARLEY_GENERAL_LOG_LEVEL = 'silent'
let inPieces = false
// Whoever read the output may have read enough: `parley config | head`. What is done is done before it is printed; a
// result in pieces is not done.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(inPieces ? 1 : 0)
  process.stderr.write(`parley: standard output cannot be written: ${error.message}\n`)
  process.exit(1)
})
const out = (piece: string | Uint8Array) => process.stdout.write(piece) || once(process.stdout, 'drain')
const { runCli } = await import('./program.ts')
process.exitCode = await runCli(process.argv.slice(2), {
  input: process.stdin,
  out,
  pipe: (piece) => {
    inPieces = true
    return out(piece)
  },
  err: (text) => process.stderr.write(text),
  env,
})
