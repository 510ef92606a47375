import { enableCompileCache } from 'node:module'
import { compileCache } from './repository.ts'

const env = { ...process.env }
// The terminal gets plain lines only. The bus client logs while NATS is unavailable, so logging is switched off before
// the modules that create loggers are loaded.
process.env.PARLEY_GENERAL_LOG_LEVEL = 'silent'
enableCompileCache(compileCache())
const { supervise } = await import('./supervise.ts')
// Everything has stopped; remaining handles would only delay the exit.
process.exit(await supervise(process.argv.slice(2), env))
