import { adminServices } from '@parley/client'
import { server } from './server.ts'

/** The administration of the server; loaded with its pages. */
export const administration = adminServices(server.transport)
