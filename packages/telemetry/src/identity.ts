import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { defaultResource, resourceFromAttributes, type Resource } from '@opentelemetry/resources'
import { serverVersion } from './version.ts'

/** The deployable's name, by which Parley's own commands know the process. */
export const serviceName = process.env['PARLEY_SERVICE'] || 'parley'

/** Identifies this process to a collector, where OTEL_SERVICE_NAME may give it another name. */
export const resource: Resource = defaultResource().merge(
  resourceFromAttributes({
    'service.namespace': 'parley',
    'service.name': process.env['OTEL_SERVICE_NAME'] || serviceName,
    'service.version': serverVersion,
    'service.instance.id': randomUUID(),
    'host.name': hostname(),
    'process.pid': process.pid,
  }),
)
