/** A lease that one process of the fleet holds at a time; it expires when its holder dies. */
export interface Lease {
  /** Takes or renews it; false while another process holds it. */
  hold(): Promise<boolean>;
  release(): Promise<void>;
}
