export function adviceOnUsedPort(host: string, port: number): string
