export { runCli, type Terminal } from './program.ts'
