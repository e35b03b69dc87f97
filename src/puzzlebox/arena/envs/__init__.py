"""What learners hold in their hands: Gymnasium and PettingZoo environments around a World."""
