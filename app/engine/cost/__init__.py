"""What accesses to memory cost, counted: walks on a CPU, requests of a warp on a GPU. Nothing here
measures time or touches a tensor's values."""
