export { deriveServiceEnvironment, serviceNames } from './fleet/derive-service-environment.ts'
export { retireSecret, rotatableSecrets, rotateSecret, type RotatableSecret } from './fleet/rotation.ts'
