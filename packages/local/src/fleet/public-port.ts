import { freePort, isPortFree } from '../infrastructure/index.ts'

/** The port to serve on: a free one for 0, else the wanted one. Throws when somebody has it. */
export async function publicPort(host: string, wanted: number): Promise<number> {
  if (wanted === 0) return freePort()
  if (await isPortFree(wanted, host)) return wanted
  throw new Error(
    `port ${wanted} on ${host} is in use; stop what uses it, or set PARLEY_PORT to another port (0 takes a free one)`,
  )
}
