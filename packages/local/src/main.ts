import { enableCompileCache } from 'node:module'
import { compileCache } from './repository.ts'

const given = { ...process.env }
// Plain lines are for the terminal. What the bus client logs while NATS comes and goes is not, so it is silenced before
// the modules that make loggers are loaded.
process.env.PARLEY_GENERAL_LOG_LEVEL = 'silent'
enableCompileCache(compileCache())
const { supervise } = await import('./supervise.ts')
// Everything has ended; handles that remain would only delay the prompt.
process.exit(await supervise(process.argv.slice(2), given))
