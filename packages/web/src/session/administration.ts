import { adminServices } from '@parley/client'
import { server } from './server.ts'

/** Clients of the administration services; loaded with the administration pages. */
export const administration = adminServices(server.transport)
