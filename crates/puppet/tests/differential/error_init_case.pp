case 1 {
  Init[Scalar]: { notice(1) }
  default: { notice(2) }
}
