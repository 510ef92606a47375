export { knownEnvironment, serviceNames } from './fleet/known-environment.ts'
export { retireSecret, rotatableSecrets, rotateSecret, type RotatableSecret } from './fleet/rotation.ts'
