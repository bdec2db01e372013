// What the engine has beside what @types/k6 declares.
declare const console: Record<'debug' | 'error' | 'info' | 'log' | 'warn', (...values: unknown[]) => void>;
