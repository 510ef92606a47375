import { delivery } from './delivery.mjs'
import { dependencies } from './dependencies.mjs'
import { fleet } from './fleet.mjs'
import { messaging } from './messaging.mjs'
import { objectives } from './objectives.mjs'
import { realtime } from './realtime.mjs'

export const dashboards = [fleet, realtime, messaging, delivery, dependencies, objectives]
