import { once } from 'node:events'

const env = { ...process.env }
// What the bus client logs is not the command's output; set before the modules that make loggers are loaded.
process.env.PARLEY_GENERAL_LOG_LEVEL = 'silent'
// Whoever read the output may have read enough: `parley config | head`. What is done is done before it is printed.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  throw error
})
const { runCli } = await import('./program.ts')
process.exitCode = await runCli(process.argv.slice(2), {
  input: process.stdin,
  out: (text) => process.stdout.write(text) || once(process.stdout, 'drain'),
  err: (text) => process.stderr.write(text),
  env,
})
