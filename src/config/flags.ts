/** Command-line flags that override the environment; as text, the way they were typed. */
export interface ConfigFlags {
  /** `--toolsets default,logs` */
  readonly toolsets?: string | undefined;
  /** `--output text|structured` */
  readonly output?: string | undefined;
  /** `--structured`, the short form of `--output structured` */
  readonly structured?: boolean | undefined;
  /** `--settings PATH`, or `--env-file PATH` */
  readonly envFile?: string | undefined;
  /** `--config PATH` */
  readonly config?: string | undefined;
}
